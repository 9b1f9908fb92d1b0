;; Each memory is below the limit of 64 MiB, but the total is above it.
(memory 600)
(memory 600)
(func $needs (param i32 i32) (result i32) (i32.const 1))
