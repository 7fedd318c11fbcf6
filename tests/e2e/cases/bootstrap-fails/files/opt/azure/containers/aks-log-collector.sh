#!/bin/sh
# Ends when the test writes to the pipe.
mkfifo /run/e2e-log-collector && read -r _ </run/e2e-log-collector
