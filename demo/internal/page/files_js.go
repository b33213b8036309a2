package page

import (
	"errors"
	"fmt"
	"strconv"
	"syscall/js"

	"github.com/tandem-ecs/tandem/demo/internal/app"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// maxFile is the largest recording that a page opens, in bytes. The page holds all of it.
const maxFile = 128 << 20

var errLarge = fmt.Errorf("it is too large for a page, which takes %d MB: open it with the command demo replay", maxFile>>20)

// download returns the file at an address on the page's own server.
func download(location js.Value, address string) (data []byte, err error) {
	defer func() {
		if e, ok := recover().(js.Error); ok { // the address is none
			err = e
		}
	}()
	url := js.Global().Get("URL").New(address, location.Get("href"))
	if url.Get("origin").String() != location.Get("origin").String() {
		return nil, errors.New("it is on another server, and a page opens files of its own server only")
	}
	response, err := await(js.Global().Call("fetch", url, map[string]any{"mode": "same-origin"}))
	if err != nil {
		return nil, errors.New("the server does not answer")
	}
	if !response.Get("ok").Bool() {
		return nil, fmt.Errorf("the server answers %d", response.Get("status").Int())
	}
	if length := response.Get("headers").Call("get", "Content-Length"); length.Type() == js.TypeString {
		if n, err := strconv.ParseInt(length.String(), 10, 64); err == nil && n > maxFile {
			return nil, errLarge
		}
	}
	return contents(response)
}

// contents returns the bytes of a response or of a file.
func contents(of js.Value) ([]byte, error) {
	buffer, err := await(of.Call("arrayBuffer"))
	if err != nil {
		return nil, err
	}
	if buffer.Get("byteLength").Int() > maxFile {
		return nil, errLarge
	}
	bytes := js.Global().Get("Uint8Array").New(buffer)
	data := make([]byte, bytes.Length())
	js.CopyBytesToGo(data, bytes)
	return data, nil
}

// await waits for a promise. It must not be called by an event's handler, which the promise would
// wait for.
func await(promise js.Value) (js.Value, error) {
	type result struct {
		value js.Value
		err   error
	}
	done := make(chan result, 1)
	kept := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- result{value: args[0]}
		return nil
	})
	defer kept.Release()
	broken := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- result{err: js.Error{Value: args[0]}}
		return nil
	})
	defer broken.Release()
	promise.Call("then", kept, broken)
	r := <-done
	return r.value, r.err
}

// acceptFiles shows recordings that the user drops on the page, and returns a function that ends
// this.
func acceptFiles(r *app.Run, replay Replay) (end func()) {
	over := js.FuncOf(func(_ js.Value, args []js.Value) any {
		args[0].Call("preventDefault") // else the browser leaves the page
		return nil
	})
	drop := js.FuncOf(func(_ js.Value, args []js.Value) any {
		args[0].Call("preventDefault")
		files := args[0].Get("dataTransfer").Get("files")
		if files.Length() == 0 {
			return nil
		}
		file := files.Index(0)
		go r.Replace(func(set settings.Settings) (app.Content, error) {
			if file.Get("size").Int() > maxFile {
				return nil, errLarge
			}
			data, err := contents(file)
			if err != nil {
				return nil, err
			}
			o := options.NewMatch()
			o.Settings = set
			return replay(o, data)
		})
		return nil
	})
	js.Global().Call("addEventListener", "dragover", over)
	js.Global().Call("addEventListener", "drop", drop)
	return func() {
		js.Global().Call("removeEventListener", "dragover", over)
		js.Global().Call("removeEventListener", "drop", drop)
		over.Release()
		drop.Release()
	}
}
