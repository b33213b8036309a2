//go:build !js

package record_test

import (
	"fmt"
	"image"
	"image/gif"
	"os"
	"path/filepath"
	"time"

	"github.com/tandem-ecs/tandem/render/record"
)

func Example() {
	dir, err := os.MkdirTemp("", "clip")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "clip.gif")

	r, err := record.Open(path, record.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Abort() // does nothing once Close has been called
	picture := image.NewRGBA(image.Rect(0, 0, 32, 18))
	for i := 0; i < 30; i++ {
		picture.Pix[4*i] = 255
		if err := r.Frame(picture, time.Second/30); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := r.Close(); err != nil {
		fmt.Println(err)
		return
	}

	f, err := os.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	clip, err := gif.DecodeAll(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	total := 0
	for _, d := range clip.Delay {
		total += d
	}
	fmt.Println(len(clip.Image), "pictures,", float64(total)/100, "s, delays", clip.Delay[:6])
	// Output: 30 pictures, 1 s, delays [3 4 3 3 4 3]
}
