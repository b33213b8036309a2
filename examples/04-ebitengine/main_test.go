package main

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"os"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/hajimehoshi/ebiten/v2"
)

var picture = flag.String("picture", "", "write the last frame to this PNG file")

// filmed plays the game for frames of 1/60 s and keeps the last picture.
type filmed struct {
	*game
	frame int
	last  *image.RGBA
}

const frames = 100

func (f *filmed) Update() error {
	if f.last != nil {
		return ebiten.Termination
	}
	f.frame++
	return f.game.Update()
}

func (f *filmed) Draw(screen *ebiten.Image) {
	f.game.Draw(screen)
	if f.frame == frames && f.last == nil {
		f.last = image.NewRGBA(screen.Bounds())
		screen.ReadPixels(f.last.Pix)
	}
}

var film *filmed

// Ebitengine wants the first goroutine, which runs this function.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("DISPLAY") == "" {
		fmt.Println("there is no display: run this test by xvfb-run")
		os.Exit(1)
	}
	film = &filmed{}
	film.game = newGame(func() time.Time { return time.Unix(0, int64(film.frame)*int64(time.Second)/60) })
	ebiten.SetVsyncEnabled(false)
	ebiten.SetTPS(ebiten.SyncWithFPS)
	ebiten.SetRunnableOnUnfocused(true)
	if err := ebiten.RunGame(film); err != nil {
		log.Fatal(err)
	}
	if *picture != "" {
		file, err := os.Create(*picture)
		if err != nil {
			log.Fatal(err)
		}
		if err := png.Encode(file, film.last); err != nil {
			log.Fatal(err)
		}
		file.Close()
	}
	os.Exit(m.Run())
}

// The balls are drawn on their paths: off by the sagitta of a step at most, which is less than 0.2
// pixels.
func TestPicture(t *testing.T) {
	const seconds = float64(frames) / 60
	for k := 1; k < len(film.all); k++ {
		at := path(k, seconds).Position
		_, visual := film.bodies.Get(film.all[k])
		if off := visual.Get().Position.Sub(at).Len(); off > 0.2 {
			t.Errorf("ball %d is off its path by %.2f pixels", k, off)
		}
		if got := film.last.RGBAAt(int(at[0]), int(at[1])); got != blue {
			t.Errorf("ball %d is not drawn at %.1f: the colour there is %v", k, at, got)
		}
	}
	muzzle := path(0, seconds).Apply(mgl32.Vec2{44, 0})
	if got := film.last.RGBAAt(int(muzzle[0]), int(muzzle[1])); got != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("the turret does not point to %.1f: the colour there is %v", muzzle, got)
	}
}
