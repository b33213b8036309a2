// Package pointerfree tells types that arche may move about from those that it may not.
package pointerfree

import (
	"fmt"
	"reflect"
)

// Pointer returns where values of type T hold a pointer, in words such as "Name string", and "" if
// they hold none. Arche (0.15) moves components in memory without the knowledge of the garbage
// collector, so the only pointer to something may be lost. Strings, slices, maps, functions,
// channels and interfaces are pointers, too.
func Pointer[T any]() string {
	t := reflect.TypeFor[T]()
	path, inner := pointer(t)
	switch {
	case inner == nil:
		return ""
	case path == "":
		return inner.String()
	}
	return fmt.Sprintf("%s %s", path[1:], inner)
}

// pointer returns the way to the first pointer within a type, each part of it behind a dot, and the
// pointer's own type.
func pointer(t reflect.Type) (path string, found reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.String, reflect.Slice, reflect.Map, reflect.Func, reflect.Chan, reflect.Interface, reflect.UnsafePointer:
		return "", t
	case reflect.Array:
		if t.Len() > 0 {
			return pointer(t.Elem())
		}
	case reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			if path, found := pointer(field.Type); found != nil {
				return "." + field.Name + path, found
			}
		}
	}
	return "", nil
}
