// Command scenes is the demo's scenes for a browser, without the arena. See command demo/web.
package main

func main() { start() }
