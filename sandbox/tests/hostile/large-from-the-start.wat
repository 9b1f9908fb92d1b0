;; Has an initial memory of 2 GiB.
(memory 32768)
(func $needs (param i32 i32) (result i32) (i32.const 1))
