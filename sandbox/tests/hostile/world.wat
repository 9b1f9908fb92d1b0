;; The exports of the world `landfall:config-management/plugin`, as core functions.
;; A hostile module consists of these exports, a memory and its own `$discover`. A function
;; with more than 16 parameters takes the address of a record of them. What `process` returns
;; is in the memory of the module, at 2048.
(export "memory" (memory 0))
(export "landfall:config-management/generator@0.1.0#discover" (func $discover))
(func (export "landfall:config-management/generator@0.1.0#needs")
  (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32) unreachable)
(func (export "landfall:config-management/generator@0.1.0#[constructor]sources")
  (param i32 i32) (result i32) unreachable)
(func (export "landfall:config-management/generator@0.1.0#[method]sources.parameters")
  (param i32) (result i32) unreachable)
(func (export "landfall:config-management/generator@0.1.0#[method]sources.unrendered")
  (param i32) (result i32) unreachable)
(func (export "landfall:config-management/generator@0.1.0#[method]sources.generate")
  (param i32) (result i32) unreachable)
(func (export "landfall:config-management/krm-function@0.1.0#needs")
  (param i32 i32) (result i32) unreachable)
(func (export "landfall:config-management/krm-function@0.1.0#process")
  (param i32) (result i32) i32.const 2048)
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) i32.const 1024)
