"""The meaning of exceptions of torch: see `signs`."""

from .signs import read

SIGNS = read(r"""
AttributeError|TypeError ! before Module\.__init__\(\) call|of 'super' object needs an argument
  |object has no attribute '_(modules|parameters|buffers)'
    `__init__` does not begin with `super().__init__()`: an nn.Module needs it first
NotImplementedError ! is missing the required "forward" function
    a module has no method `forward`: it computes its output there
NotImplementedError : not implemented for '(\w+)'
    torch has no such operation for the dtype {0}: convert the tensor first, for example with
    `.float()`
RuntimeError ! (batch1|batch2|self) must be a (\d)D tensor
  |t\(\) expects a tensor with <= 2 dimensions
    `bmm`, `mm` and `t()` fix the number of axes: use `@` and `transpose(-2, -1)`
RuntimeError ! view size is not compatible with input tensor's size and stride
    `view` after `transpose` or `permute`: the tensor is no longer contiguous in memory; use
    `reshape`, or `.contiguous()` before `view`
RuntimeError|ValueError : mat1 and mat2 shapes cannot be multiplied \((\d+x\d+) and (\d+x\d+)\)
    a {0} matrix is multiplied by a {1} matrix: the inner sizes must match, so one of them has
    the wrong size or needs a transpose
RuntimeError : Expected size for first two dimensions of batch2 tensor to be
    a batched matrix product whose inner sizes differ: a transpose is missing or unnecessary
RuntimeError : The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)
    sizes {0} and {1} do not broadcast: print both shapes before this line; from the right,
    sizes must be equal or 1 (a mean keeps its axis with `keepdim=True`)
RuntimeError : (?s)loading state_dict.*Missing key\(s\) in state_dict: (.*?)\. \n\s*Unexpected
  [ ]key\(s\) in state_dict: (.*?)\.[ ]
    the names of the layers differ: the module has {0}, the state dict {1}; keep the handout's
    names
RuntimeError : loading state_dict for \w+:\s*Missing key\(s\) in state_dict:
  [ ](\"[\w.]*\bbias\"(?:, \"[\w.]*\bbias\")*)\. $
    the module has {0}, the state dict has not: with `bias=False` layers have no bias
RuntimeError : (?s)loading state_dict.*Missing key\(s\) in state_dict: (.*?)\.[ ]
    the module has {0}, the state dict has not: leave out what the handout does not name
RuntimeError : (?s)loading state_dict.*Unexpected key\(s\) in state_dict: (.*?)\.[ ]
    the state dict has {0}, the module has not: in `__init__`, make each under this name, as a
    layer or an `nn.Parameter`
RuntimeError : size mismatch for ([\w.]+): .* torch\.Size\(\[([\d, ]*)\]\) from checkpoint, the
  [ ]shape in current model is torch\.Size\(\[([\d, ]*)\]\)
    `{0}` of the module has the shape ({2}), in the state dict ({1}): check the sizes in
    `__init__`
TypeError ! received an invalid combination of arguments - got \(.*(?:out=NoneType|axis=|keepdims=)
    a function of NumPy is called with a tensor: use torch's own, with `dim` and `keepdim`
TypeError ! must be Tensor, not (?:int|float)\b
    torch's functions take tensors: for one number, use those of `math`
TypeError ! must be Tensor, not numpy|'numpy.ndarray' and 'Tensor'|'Tensor' and 'numpy
  |arguments - got \(.*numpy\.ndarray
    a NumPy array is passed to torch: work with tensors, or convert it by `torch.as_tensor`
RuntimeError|AssertionError : CUDA|cuda|NVIDIA driver
    it needs a GPU: use the input's device (`x.device`) instead of a fixed one
TypeError : (?:must be Tensor, not |'Tensor' and '|type\(s\) for [^:]+: ')(?!Tensor'
  |NoneType)([A-Z]\w+)
    an object of `{0}` is used in place of a tensor: a layer is made first and then applied,
    as in `nn.ReLU()(x)`
RuntimeError ! leaf Variable that requires grad.* in-place operation
    an in-place operation (`x += …`, `x[…] = …`) on an input or a parameter: make a new
    tensor, `x = x + …`
RuntimeError : Index tensor must have the same number of dimensions
    `gather` needs an index with as many axes as the input: print both shapes; an axis is
    added by `index.unsqueeze(-1)` before and taken away by `squeeze(-1)` after
RuntimeError ! one of the variables needed for gradient computation has been modified by an inplace
    an in-place operation (`x += …`, `x[…] = …`) overwrites what the backward pass needs
RuntimeError ! Can't call numpy\(\) on Tensor that requires grad
    a tensor that requires grad is passed to NumPy: call `.detach()` first
RuntimeError ! must have the same dtype|expected scalar type \w+ but found|same dtype, but got
    two tensors differ in dtype, often float64 from NumPy and float32: convert one,
    `y.to(x.dtype)`
RuntimeError|IndexError ! Expected tensor for argument #1 'indices' to have one of
  |tensors used as indices must be|Expected dtype int32/int64 for index
    ids and indices must be integers: `.long()`, or `dtype=torch.long` where they are made
IndexError ! ^index out of range in self
    an id is not below the number of rows of the embedding: is `vocab_size` right?
RuntimeError ! cannot be converted to type .* without overflow
    the number is too large for 16 bits: mask with `torch.finfo(scores.dtype).min`
RuntimeError ! does not require grad and does not have a grad_fn
    nothing leads from the loss to the parameters: `no_grad`, `.detach()`, `.item()` or a
    tensor made anew cuts the path
RuntimeError ! grad can be implicitly created only for scalar outputs
    `backward` starts from one number: take the mean of the losses first
RuntimeError ! Trying to backward through the graph a second time
    `backward` is called twice on one result: compute it anew for each call
RuntimeError|ValueError ! multi-target not supported|Expected target size|Expected input batch_size
    cross-entropy wants logits (n, classes) and n labels: flatten batch and tokens into one
    axis, in both
""")
