package greet

import (
	"net/http/httptest"
	"testing"
)

func TestHello(t *testing.T) {
	w := httptest.NewRecorder()
	Hello(w, httptest.NewRequest("GET", "/hello?name=Ada", nil))
	if got := w.Body.String(); got != "Hello, Ada!" {
		t.Errorf("got %q", got)
	}
}
