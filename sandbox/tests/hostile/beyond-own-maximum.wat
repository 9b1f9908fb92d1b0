;; Traps when it cannot grow beyond the maximum that it declares itself.
(memory 1 2)
(func $needs (param i32 i32) (result i32)
  (if (i32.eq (memory.grow (i32.const 2)) (i32.const -1)) (then unreachable))
  (i32.const 1))
