package main

import (
	"log"
	"net/http"

	"example.org/greeter/internal/greet"
)

func main() {
	http.HandleFunc("/hello", greet.Hello)
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}
