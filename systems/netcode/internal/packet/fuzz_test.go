package packet_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// FuzzReader reads values of kinds that the input chooses. Nothing may panic, read beyond the
// input, or continue after an error.
func FuzzReader(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, bytes.Repeat([]byte{0xff}, 40))
	f.Add([]byte{7, 7, 7}, []byte{2, 1, 2, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20})
	f.Add([]byte{4, 20, 36}, make([]byte, 30))
	f.Fuzz(func(t *testing.T, kinds, data []byte) {
		r := packet.NewReader(data)
		for _, k := range kinds {
			before := r.Remaining()
			failed := r.Err() != nil
			var zero bool
			switch n := uint(k / 10); k % 10 {
			case 0:
				zero = r.Bits(n) == 0
			case 1:
				zero = !r.Bool()
			case 2:
				zero = r.Uvarint() == 0
			case 3:
				zero = r.Varint() == 0
			case 4:
				v := r.Golomb(n % 16)
				zero = v == 0
				if v > packet.MaxGolombValue {
					t.Fatalf("Golomb returned %d", v)
				}
			case 5:
				zero = r.SignedGolomb(n%16) == 0
			case 6:
				zero = r.Float32() == 0
			case 7:
				b := r.Blob(int(n))
				zero = len(b) == 0
				if len(b) > int(n) || len(b) > len(data) {
					t.Fatalf("Blob(%d) returned %d bytes", n, len(b))
				}
			case 8:
				r.Align()
				zero = true
			case 9:
				zero = r.Int(n) == 0
			}
			if failed && !zero || r.Remaining() > before || r.Remaining() < 0 {
				t.Fatalf("kind %d: failed before %v, %d bits left of %d", k, failed, r.Remaining(), before)
			}
		}
		_ = r.Close()
	})
}

// FuzzHeader checks that a header that parses is written back byte for byte.
func FuzzHeader(f *testing.F) {
	for _, h := range []packet.Header{{}, {Sequence: 9, HasAck: true, Ack: 65535, AckTime: 777, AckMask: 1<<32 - 1}, {HasAck: true, AckMask: 0xff00ff00, Messages: true}} {
		f.Add(h.Append(nil))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, rest, err := packet.ParseHeader(data)
		if err != nil {
			return
		}
		if again := append(h.Append(nil), rest...); !bytes.Equal(again, data) {
			t.Fatalf("% x parses as %+v, which is written % x", data, h, again)
		}
	})
}

// FuzzEndpoint passes the fuzzer's datagrams to an Endpoint in the middle of a conversation. A byte
// with the length precedes each.
func FuzzEndpoint(f *testing.F) {
	_, datagrams := corpus(f)
	var all []byte
	for _, d := range datagrams {
		one := append([]byte{byte(len(d))}, d...)
		f.Add(one)
		all = append(all, one...)
	}
	f.Add(all)
	f.Fuzz(func(t *testing.T, data []byte) {
		e, _ := corpus(t)
		buf := make([]byte, 200)
		for now := time.Minute; len(data) > 0; now += time.Second / 60 {
			n := min(int(data[0]), len(data)-1)
			in, err := e.Open(data[1 : 1+n])
			data = data[1+n:]
			if err != nil {
				continue
			}
			if in.Payload.Remaining() > n*8 {
				t.Fatal("a payload larger than its datagram")
			}
			if in.Payload.Bits(3) == 1 {
				continue // refused by the layer above
			}
			_ = e.Accept(in, now)
			// After any input the endpoint's own packets must stay in order.
			e.Begin(buf, now, 50).Bits(5, 8)
			d, err := e.End()
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := packet.ParseHeader(d); err != nil {
				t.Fatal(err)
			}
		}
	})
}
