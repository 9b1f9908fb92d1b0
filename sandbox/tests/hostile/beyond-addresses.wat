;; Requests more memory than a 32-bit memory can have, and traps.
(memory 1)
(func $needs (param i32 i32) (result i32)
  (if (i32.eq (memory.grow (i32.const 65536)) (i32.const -1)) (then unreachable))
  (i32.const 1))
