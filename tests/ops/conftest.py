import torch

# Tests run side by side, one per core.
torch.set_num_threads(1)
