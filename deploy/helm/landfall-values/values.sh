#!/bin/sh
# Helm passes a certificate, its key, a CA and the URL.
exec landfall helm values "$4"
