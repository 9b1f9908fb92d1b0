;; Recurses endlessly.
(memory 1)
(func $needs (param i32 i32) (result i32)
  (i32.add (i32.const 1) (call $needs (local.get 0) (local.get 1))))
