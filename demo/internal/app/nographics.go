//go:build !cgo && !js

package app

// Graphics reports whether this build can open windows and draw pictures.
const Graphics = false
