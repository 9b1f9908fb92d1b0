;; Exports nothing.
(component)
