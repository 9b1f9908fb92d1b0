;; Allocates little memory but 800 MB of table.
(memory 1)
(table $table 0 funcref)
(func $needs (param i32 i32) (result i32)
  (drop (table.grow $table (ref.null func) (i32.const 100000000)))
  (i32.const 1))
