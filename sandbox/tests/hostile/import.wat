;; Wants to know the time.
(component (import "clock" (func (result u64))))
