;; Never returns.
(memory 1)
(func $needs (param i32 i32) (result i32)
  (loop $forever (br $forever))
  unreachable)
