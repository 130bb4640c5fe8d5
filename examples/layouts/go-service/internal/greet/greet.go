package greet

import (
	"fmt"
	"net/http"
)

// Hello greets whoever asks.
func Hello(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "Hello, %s!", r.URL.Query().Get("name"))
}
