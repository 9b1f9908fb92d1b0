;; Allocates a mebibyte at a time until it fails.
(memory 1)
(func $needs (param i32 i32) (result i32)
  (loop $more
    (br_if $more (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
  (i32.const 1))
