;; The exports of the world `landfall:config-management/plugin`, as core functions.
;; A hostile module is this, with a memory and a `$discover` of its own.
(export "memory" (memory 0))
(export "landfall:config-management/generator@0.1.0#discover" (func $discover))
(func (export "landfall:config-management/generator@0.1.0#needs")
  (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32) unreachable)
(func (export "landfall:config-management/generator@0.1.0#[constructor]sources")
  (param i32 i32) (result i32) unreachable)
(func (export "landfall:config-management/generator@0.1.0#[method]sources.parameters")
  (param i32) (result i32) unreachable)
(func (export "landfall:config-management/generator@0.1.0#[method]sources.generate")
  (param i32) (result i32) unreachable)
(func (export "landfall:config-management/krm-function@0.1.0#needs")
  (param i32 i32) (result i32) unreachable)
(func (export "landfall:config-management/krm-function@0.1.0#process")
  ;; Of more than 16 parameters, the address of a record of them.
  (param i32) (result i32) unreachable)
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) i32.const 1024)
