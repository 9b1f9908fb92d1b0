@landfall helm values %4
