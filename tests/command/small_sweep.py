"""The beginning of a sweep of ropes, from its version to `sweep:`; a test adds its grid and what it is about."""
HEAD = """springbench: 1
name: small
question: Does it run?
source: this test
driver: blowup
timed: false
defaults: {scene: rope, nodes: 8, frames: 20}
sweep:
"""
