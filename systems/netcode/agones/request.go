package agones

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"
)

const (
	requestTime = 5 * time.Second // for the answer to a request
	maxAnswer   = 64 << 10
)

// refusal is an answer of the sidecar that is not a success.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return fmt.Sprintf("status %d: %s", r.status, r.text) }

// post makes a request, and returns a [*refusal] for an answer that is not a success.
func (s *Sidecar) post(ctx context.Context, path string, body any) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if res.StatusCode/100 == 2 {
		return err
	}
	var r struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(answer, &r) != nil {
		r.Message = string(answer[:min(len(answer), 200)])
	}
	return &refusal{res.StatusCode, r.Message}
}

// trouble logs the begin and the end of a trouble.
type trouble struct {
	log  *slog.Logger
	what string
	on   bool
}

func (t *trouble) note(err error) {
	switch {
	case errors.Is(err, context.Canceled):
		return // by Close
	case err != nil && !t.on:
		t.log.Warn("agones", "trouble", t.what, "err", err)
	case err == nil && t.on:
		t.log.Info("agones", "well again", t.what)
	}
	t.on = err != nil
}
