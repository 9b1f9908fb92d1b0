;; Reads far beyond its memory.
(memory 1)
(func $needs (param i32 i32) (result i32) (i32.load (i32.const 0x7fffffff)))
