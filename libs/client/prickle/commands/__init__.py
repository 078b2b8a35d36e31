"""The commands of `prickle`: a file per noun, each with a `register(app)`.

Other distributions add theirs by an entry point in the group `prickle.commands`: the name of such a function.
"""
