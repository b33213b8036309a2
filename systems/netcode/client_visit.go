package netcode

type visits[S any] struct{}

func (c *Client[S, I]) endVisits(Reason) {}
