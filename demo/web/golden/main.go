// Command golden draws the golden pictures of package app in a page. It is for the tests of
// tools/browser, which compare what the browser shows.
package main

func main() { start() }
