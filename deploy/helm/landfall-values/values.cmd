@echo off
rem cmd.exe would run a landfall in the current folder, which can be that of a chart.
set NoDefaultCurrentDirectoryInExePath=1
rem Helm passes a certificate, its key, a CA and the URL.
landfall helm values "%~4"
