package render

import "math"

// Color is a colour in sRGB with eight bits a channel, as image files hold it. Alpha is not
// multiplied in. The zero value is fully transparent.
type Color struct{ R, G, B, A uint8 }

// Hex returns the opaque colour 0xRRGGBB.
func Hex(rgb uint32) Color {
	return Color{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}
}

// Alpha returns c with its alpha set: 0 transparent, 1 opaque.
func (c Color) Alpha(a float32) Color {
	c.A = toByte(a)
	return c
}

// Mix returns the colour at fraction t of the way from c to other, mixed in linear light.
func (c Color) Mix(other Color, t float32) Color {
	a, b := c.Linear(), other.Linear()
	return Color{
		fromLinear(a[0] + (b[0]-a[0])*t),
		fromLinear(a[1] + (b[1]-a[1])*t),
		fromLinear(a[2] + (b[2]-a[2])*t),
		toByte(a[3] + (b[3]-a[3])*t),
	}
}

// Linear returns the red, green and blue light in 0..1, and alpha as it is.
func (c Color) Linear() [4]float32 {
	return [4]float32{toLinear(c.R), toLinear(c.G), toLinear(c.B), float32(c.A) / 255}
}

// toLinear and fromLinear are the transfer function of IEC 61966-2-1 (sRGB).
func toLinear(v uint8) float32 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return float32(x / 12.92)
	}
	return float32(math.Pow((x+0.055)/1.055, 2.4))
}

func fromLinear(v float32) uint8 {
	if v <= 0.0031308 {
		return toByte(v * 12.92)
	}
	return toByte(float32(1.055*math.Pow(float64(v), 1/2.4) - 0.055))
}

func toByte(v float32) uint8 {
	switch {
	case !(v > 0):
		return 0
	case v >= 1:
		return 255
	}
	return uint8(v*255 + 0.5)
}

// bits returns the colour as one number, as it lies in memory. Comparing structs takes four
// comparisons, comparing this takes one.
func (c *Color) bits() uint32 {
	return uint32(c.R) | uint32(c.G)<<8 | uint32(c.B)<<16 | uint32(c.A)<<24
}
