"""Becomes the SFTP server that gives the runner access to the files of this virtual machine. It uses a port instead of SSH."""

import os

import agent

fd = os.open(agent.port("e2e.files"), os.O_RDWR)
os.dup2(fd, 0)
os.dup2(fd, 1)
os.execv("/usr/lib/openssh/sftp-server", ["sftp-server", "-e"])
