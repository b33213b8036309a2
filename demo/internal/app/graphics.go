//go:build cgo

package app

// Graphics reports whether this build can open windows and draw pictures.
const Graphics = true
