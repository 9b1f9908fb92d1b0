;; Imports a clock.
(component (import "clock" (func (result u64))))
