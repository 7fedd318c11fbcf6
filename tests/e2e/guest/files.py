"""Becomes the SFTP server that shows the runner this virtual machine's files. It speaks through a port instead of SSH."""

import os

import agent

fd = os.open(agent.port("e2e.files"), os.O_RDWR)
os.dup2(fd, 0)
os.dup2(fd, 1)
os.execv("/usr/lib/openssh/sftp-server", ["sftp-server", "-e"])
