"""RAF: a compiler and runtime that trains neural networks."""
