@echo off
rem cmd.exe would run a landfall in the current folder, which can be that of a chart.
set NoDefaultCurrentDirectoryInExePath=1
rem Helm drops standard error: it is appended to the file that LANDFALL_REPORT names.
if "%LANDFALL_REPORT%"=="" set LANDFALL_REPORT=NUL
landfall render - --stdin-filename helm-template %* 2>>"%LANDFALL_REPORT%"
