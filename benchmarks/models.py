"""PyTorch twins of the zoo: the same computation, the same keys and the same parameter names.

A twin is what RAF is compared with, in speed (compare.py) and in numbers (tests/models). `forward` takes a batch's
inputs by the zoo's names and gives (loss, logits). A spec reads as on the command line: gpt2:layers=6,width=384.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

# What is measured, by name. All train with AdamW.
PRESETS = {
    "tiny": "gpt2:layers=4,width=128,heads=4,context=64,vocab=256,batch=12,dropout=0",
    "nano": "gpt2:layers=6,width=384,heads=6,context=256,vocab=256,batch=12,dropout=0.2",
    "gpt2": "gpt2:context=256,batch=4,dropout=0.1",
    "bert": "bert-base:context=128,batch=8,dropout=0.1",
    "vit": "vit-b-16:width=384,heads=6,hidden=1536,batch=8",
    "long": "gpt2:layers=4,width=256,heads=4,context=2048,vocab=256,batch=1,dropout=0.1",
}


def heads_of(x, heads):
    """(B, T, H*D) -> (B, H, T, D)"""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def merge(x):
    """(B, H, T, D) -> (B, T, H*D)"""
    return x.transpose(1, 2).flatten(2)


def cross_entropy(logits, labels):
    """Mean over labels other than -100, any leading dimensions."""
    return F.cross_entropy(logits.flatten(0, -2), labels.flatten())


class Attention(nn.Module):
    """Scaled dot product with dropout while training."""

    def __init__(self, dropout, causal=False):
        super().__init__()
        self.dropout, self.causal = dropout, causal

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(
            q, k, v, is_causal=self.causal, dropout_p=self.dropout if self.training else 0.0,
            enable_gqa=q.shape[1] != k.shape[1])


class GptBlock(nn.Module):
    def __init__(self, o):
        super().__init__()
        width = o["width"]
        self.heads = o["heads"]
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = nn.ModuleDict({"c_attn": nn.Linear(width, 3 * width), "c_proj": nn.Linear(width, width)})
        self.mlp = nn.ModuleDict({"c_fc": nn.Linear(width, 4 * width), "c_proj": nn.Linear(4 * width, width)})
        self.attention = Attention(o["dropout"], causal=True)
        self.drop = nn.Dropout(o["dropout"])
        self.gelu = nn.GELU("tanh" if o["gelu"] == "tanh" else "none")

    def forward(self, x):
        q, k, v = (heads_of(part, self.heads) for part in self.attn["c_attn"](self.ln_1(x)).chunk(3, dim=-1))
        x = x + self.drop(self.attn["c_proj"](merge(self.attention(q, k, v))))
        return x + self.drop(self.mlp["c_proj"](self.gelu(self.mlp["c_fc"](self.ln_2(x)))))


class Gpt2(nn.Module):
    DEFAULTS = dict(layers=12, width=768, heads=12, context=1024, vocab=50257, batch=4, dropout=0.1, gelu="tanh")

    def __init__(self, o):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(o["vocab"], o["width"]), nn.Embedding(o["context"], o["width"])
        self.h = nn.ModuleList(GptBlock(o) for _ in range(o["layers"]))
        self.ln_f = nn.LayerNorm(o["width"])
        self.drop = nn.Dropout(o["dropout"])

    def forward(self, tokens, labels):
        x = self.drop(self.wte(tokens) + self.wpe.weight[: tokens.shape[1]])
        for block in self.h:
            x = block(x)
        logits = F.linear(self.ln_f(x), self.wte.weight)
        return cross_entropy(logits, labels), logits


class BertLayer(nn.Module):
    def __init__(self, o):
        super().__init__()
        width, hidden = o["width"], o["hidden"]
        self.heads = o["heads"]
        norm = lambda: nn.LayerNorm(width, eps=1e-12)
        self.attention = nn.ModuleDict({
            "self": nn.ModuleDict({name: nn.Linear(width, width) for name in ("query", "key", "value")}),
            "output": nn.ModuleDict({"dense": nn.Linear(width, width), "LayerNorm": norm()})})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(width, hidden)})
        self.output = nn.ModuleDict({"dense": nn.Linear(hidden, width), "LayerNorm": norm()})
        self.scaled = Attention(o["dropout"])
        self.drop = nn.Dropout(o["dropout"])

    def forward(self, x):
        project, output = self.attention["self"], self.attention["output"]
        y = merge(self.scaled(*(heads_of(project[name](x), self.heads) for name in ("query", "key", "value"))))
        x = output["LayerNorm"](self.drop(output["dense"](y)) + x)
        y = self.output["dense"](F.gelu(self.intermediate["dense"](x)))
        return self.output["LayerNorm"](self.drop(y) + x)


class Bert(nn.Module):
    DEFAULTS = dict(layers=12, width=768, heads=12, hidden=3072, context=128, vocab=30522, batch=8, dropout=0.1)

    def __init__(self, o):
        super().__init__()
        width = o["width"]
        self.bert = nn.ModuleDict({
            "embeddings": nn.ModuleDict({
                "word_embeddings": nn.Embedding(o["vocab"], width),
                "position_embeddings": nn.Embedding(o["context"], width),
                "token_type_embeddings": nn.Embedding(2, width),
                "LayerNorm": nn.LayerNorm(width, eps=1e-12)}),
            "encoder": nn.ModuleDict({"layer": nn.ModuleList(BertLayer(o) for _ in range(o["layers"]))})})
        predictions = nn.ModuleDict({
            "transform": nn.ModuleDict({"dense": nn.Linear(width, width), "LayerNorm": nn.LayerNorm(width, eps=1e-12)})})
        predictions.bias = nn.Parameter(torch.zeros(o["vocab"]))
        self.cls = nn.ModuleDict({"predictions": predictions})
        self.drop = nn.Dropout(o["dropout"])

    def forward(self, tokens, labels):
        e = self.bert["embeddings"]
        x = (e["word_embeddings"](tokens) + e["token_type_embeddings"].weight[:1]
             + e["position_embeddings"].weight[: tokens.shape[1]])
        x = self.drop(e["LayerNorm"](x))
        for layer in self.bert["encoder"]["layer"]:
            x = layer(x)
        head = self.cls["predictions"]
        x = head["transform"]["LayerNorm"](F.gelu(head["transform"]["dense"](x)))
        logits = F.linear(x, e["word_embeddings"].weight) + head.bias
        return cross_entropy(logits, labels), logits


class VitSelfAttention(nn.Module):
    def __init__(self, o):
        super().__init__()
        width = o["width"]
        self.heads = o["heads"]
        self.in_proj_weight = nn.Parameter(torch.zeros(3 * width, width))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * width))
        self.out_proj = nn.Linear(width, width)
        self.attention = Attention(o["dropout"])

    def forward(self, x):
        parts = F.linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
        return self.out_proj(merge(self.attention(*(heads_of(part, self.heads) for part in parts))))


class VitBlock(nn.Module):
    def __init__(self, o):
        super().__init__()
        width = o["width"]
        self.ln_1, self.ln_2 = nn.LayerNorm(width, eps=1e-6), nn.LayerNorm(width, eps=1e-6)
        self.self_attention = VitSelfAttention(o)
        # Children 0 and 3 hold the parameters, as in torchvision.
        self.mlp = nn.Sequential(nn.Linear(width, o["hidden"]), nn.GELU(), nn.Dropout(o["dropout"]),
                                 nn.Linear(o["hidden"], width), nn.Dropout(o["dropout"]))
        self.drop = nn.Dropout(o["dropout"])

    def forward(self, x):
        x = x + self.drop(self.self_attention(self.ln_1(x)))
        return x + self.mlp(self.ln_2(x))


class Vit(nn.Module):
    DEFAULTS = dict(layers=12, width=768, heads=12, hidden=3072, image=224, patch=16, channels=3, classes=1000, batch=8,
                    dropout=0.0)

    def __init__(self, o):
        super().__init__()
        width, tokens = o["width"], (o["image"] // o["patch"]) ** 2 + 1
        self.conv_proj = nn.Conv2d(o["channels"], width, o["patch"], o["patch"])
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        blocks = nn.ModuleDict({f"encoder_layer_{i}": VitBlock(o) for i in range(o["layers"])})
        self.encoder = nn.ModuleDict({"layers": blocks, "ln": nn.LayerNorm(width, eps=1e-6)})
        self.encoder.pos_embedding = nn.Parameter(torch.zeros(1, tokens, width))
        self.heads = nn.ModuleDict({"head": nn.Linear(width, o["classes"])})
        self.drop = nn.Dropout(o["dropout"])

    def forward(self, x, labels):
        x = self.conv_proj(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], dim=1)
        x = self.drop(x + self.encoder.pos_embedding)
        for block in self.encoder["layers"].values():
            x = block(x)
        logits = self.heads["head"](self.encoder["ln"](x)[:, 0])
        return cross_entropy(logits, labels), logits


class LlamaLayer(nn.Module):
    def __init__(self, o):
        super().__init__()
        width, hidden = o["width"], o["hidden"]
        self.heads, self.kv_heads = o["heads"], o["kv_heads"]
        kv = width // self.heads * self.kv_heads
        linear = lambda into, out: nn.Linear(into, out, bias=False)
        self.input_layernorm, self.post_attention_layernorm = nn.RMSNorm(width, eps=1e-5), nn.RMSNorm(width, eps=1e-5)
        self.self_attn = nn.ModuleDict({"q_proj": linear(width, width), "k_proj": linear(width, kv),
                                        "v_proj": linear(width, kv), "o_proj": linear(width, width)})
        self.mlp = nn.ModuleDict({"gate_proj": linear(width, hidden), "up_proj": linear(width, hidden),
                                  "down_proj": linear(hidden, width)})
        self.attention = Attention(0.0, causal=True)

    def forward(self, x, cos, sin):
        def rotate(y):
            first, second = y.chunk(2, dim=-1)
            return y * cos + torch.cat([-second, first], dim=-1) * sin

        y, a, m = self.input_layernorm(x), self.self_attn, self.mlp
        y = self.attention(rotate(heads_of(a["q_proj"](y), self.heads)), rotate(heads_of(a["k_proj"](y), self.kv_heads)),
                           heads_of(a["v_proj"](y), self.kv_heads))
        x = x + a["o_proj"](merge(y))
        y = self.post_attention_layernorm(x)
        return x + m["down_proj"](F.silu(m["gate_proj"](y)) * m["up_proj"](y))


class Llama(nn.Module):
    DEFAULTS = dict(layers=12, width=768, heads=12, kv_heads=4, hidden=2048, context=512, vocab=32000, batch=4)

    def __init__(self, o):
        super().__init__()
        width = o["width"]
        self.head = width // o["heads"]
        self.model = nn.ModuleDict({
            "embed_tokens": nn.Embedding(o["vocab"], width),
            "layers": nn.ModuleList(LlamaLayer(o) for _ in range(o["layers"])),
            "norm": nn.RMSNorm(width, eps=1e-5)})
        self.lm_head = nn.Linear(width, o["vocab"], bias=False)

    def forward(self, tokens, labels):
        x = self.model["embed_tokens"](tokens)
        half = torch.arange(self.head // 2, dtype=x.dtype)
        frequency = torch.exp(half * (-2 * math.log(10000) / self.head))
        angle = torch.outer(torch.arange(tokens.shape[1], dtype=x.dtype), frequency).repeat(1, 2)  # (T, D)
        for layer in self.model["layers"]:
            x = layer(x, angle.cos(), angle.sin())
        logits = self.lm_head(self.model["norm"](x))
        return cross_entropy(logits, labels), logits


class Mlp(nn.Module):
    DEFAULTS = dict(layers=2, width=512, input=784, classes=10, batch=64, dropout=0.0)

    def __init__(self, o):
        super().__init__()
        self.layers = o["layers"]
        for i in range(o["layers"]):
            self.add_module(f"fc{i}", nn.Linear(o["width"] if i else o["input"], o["width"]))
        self.out = nn.Linear(o["width"], o["classes"])
        self.drop = nn.Dropout(o["dropout"])

    def forward(self, x, labels):
        for i in range(self.layers):
            x = self.drop(F.relu(getattr(self, f"fc{i}")(x)))
        logits = self.out(x)
        return cross_entropy(logits, labels), logits


ZOO = {"gpt2": Gpt2, "bert-base": Bert, "vit-b-16": Vit, "llama": Llama, "mlp": Mlp}


def resolve(spec):
    """A preset's name or a spec as a spec."""
    return PRESETS[spec] if spec in PRESETS else spec


def parse(spec):
    """(class, options) of a spec; ValueError names what is wrong."""
    name, _, text = resolve(spec).partition(":")
    if name not in ZOO:
        raise ValueError(f"no twin of '{name}'; there are {', '.join(ZOO)} and the presets {', '.join(PRESETS)}")
    options = dict(ZOO[name].DEFAULTS)
    for item in filter(None, text.split(",")):
        key, _, value = item.partition("=")
        if key not in options:
            raise ValueError(f"{name}: unknown key '{key}'; the keys are {', '.join(options)}")
        options[key] = type(options[key])(value)
    return ZOO[name], options


def build(spec, seed=0):
    """The twin in training mode, float32, filled as the zoo does it: normal(0, 0.02), gains 1, biases 0."""
    cls, options = parse(spec)
    model = cls(options)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "ln_" in name or "norm" in name.lower() or ".ln." in name:
                p.fill_(1 if name.endswith("weight") else 0)
            elif name.endswith("bias") or name == "class_token":
                p.zero_()
            else:
                std = math.sqrt(2 / p.shape[-1]) if cls is Mlp and name.startswith("fc") else 0.02
                if cls is Gpt2 and name.endswith("c_proj.weight"):
                    std /= math.sqrt(2 * options["layers"])
                p.normal_(0, std, generator=generator)
    return model


def batch(spec, seed=0):
    """Random inputs of one batch by the zoo's names; language models predict the next token."""
    cls, o = parse(spec)
    generator = torch.Generator().manual_seed(seed)
    ids = lambda high, *shape: torch.randint(high, shape, generator=generator)
    if "context" in o:
        tokens = ids(o["vocab"], o["batch"], o["context"] + 1)
        return {"tokens": tokens[:, :-1].contiguous(), "labels": tokens[:, 1:].contiguous()}
    shape = (o["channels"], o["image"], o["image"]) if cls is Vit else (o["input"],)
    return {"x": torch.randn(o["batch"], *shape, generator=generator), "labels": ids(o["classes"], o["batch"])}


def adamw(model, lr=3e-4, weight_decay=0.1, fused=True):
    """AdamW with the zoo's default groups: no decay on biases, norms and the class token."""
    decays = lambda name, p: p.dim() >= 2 and name != "class_token"
    named = list(model.named_parameters())
    return torch.optim.AdamW([{"params": [p for n, p in named if decays(n, p)], "weight_decay": weight_decay},
                              {"params": [p for n, p in named if not decays(n, p)], "weight_decay": 0.0}],
                             lr=lr, betas=(0.9, 0.999), eps=1e-8, fused=fused)
