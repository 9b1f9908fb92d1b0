;; The exports of the world `landfall:config-management/plugin`, as core functions.
;; A hostile module consists of these exports, a memory and its own `$needs`, which returns the
;; address of its result. A function with more than 16 parameters takes the address of a record
;; of them. What `process` returns is in the memory of the module, at 2048.
(export "memory" (memory 0))
(export "landfall:config-management/krm-function@0.2.0#needs" (func $needs))
(func (export "landfall:config-management/krm-function@0.2.0#process")
  (param i32) (result i32) i32.const 2048)
(func (export "landfall:config-management/rendering@0.2.0#[constructor]sources")
  (param i32 i32) (result i32) unreachable)
(func (export "landfall:config-management/rendering@0.2.0#[constructor]application")
  (param i32) (result i32) unreachable)
(func (export "landfall:config-management/rendering@0.2.0#[method]application.plan")
  (param i32 i32 i32 i32 i32 i32 i32 i32) (result i32) unreachable)
(func (export "landfall:config-management/rendering@0.2.0#[method]application.generate")
  (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64) (result i32) unreachable)
(func (export "landfall:config-management/rendering@0.2.0#[method]application.generate-values")
  (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64) (result i32) unreachable)
(func (export "landfall:config-management/rendering@0.2.0#[method]application.check-built")
  (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64) (result i32) unreachable)
(func (export "landfall:config-management/rendering@0.2.0#[method]application.unrendered")
  (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i32 i32) (result i32) unreachable)
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) i32.const 1024)
