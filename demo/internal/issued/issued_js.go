// Package issued is empty for browsers, which cannot serve.
package issued
