"""Mistakes that people report of Transformers, beside the named ones of the exercises."""

from __future__ import annotations

from grader.course import mistakes
from grader.course.record import mistake

# component → its mistakes, in the form of an exercise's record
PLANTS = {
    "training.classification_step:training_step": """
plant_step_never_taken: the optimizer never steps
- optimizer.step()

plant_no_backward: no gradient is computed
- backward(loss)

plant_loss_detached: the loss is detached
- backward(loss)
+ backward(loss.detach().requires_grad_())

plant_no_clip: the gradients are not clipped
- gradient_norm = clip(model.parameters(), max_norm)
+ gradient_norm = nn.utils.clip_grad_norm_(model.parameters(), float("inf"))

plant_softmax_before_the_loss: a softmax before the cross-entropy, which has one
- loss = F.cross_entropy(logits, labels, label_smoothing=label_smoothing)
+ loss = F.cross_entropy(logits.softmax(-1), labels, label_smoothing=label_smoothing)

plant_cleared_before_the_step: the gradients are cleared between backward and step
  backward(loss)
+ optimizer.zero_grad()
""",
    "training.translation_step:translation_step": """
plant_translation_step_never_taken: the optimizer never steps
- optimizer.step()

plant_translation_no_backward: no gradient is computed
- backward(loss)

plant_translation_loss_detached: the loss is detached
- backward(loss)
+ backward(loss.detach().requires_grad_())

plant_translation_no_clip: the gradients are not clipped
- gradient_norm = clip(model.parameters(), max_norm)
+ gradient_norm = nn.utils.clip_grad_norm_(model.parameters(), float("inf"))

plant_translation_logits_detached: the logits are detached
- logits, _ = model(source_ids, decoder_input)
+ logits = model(source_ids, decoder_input)[0].detach().requires_grad_()

plant_translation_no_schedule: the schedule never steps
- schedule.step()
""",
    "training.translation_step:shift_targets": """
plant_end_becomes_padding: END becomes padding in what is wanted: it never stops
- return target_ids[:, :-1], target_ids[:, 1:]
+ return target_ids[:, :-1], target_ids[:, 1:].masked_fill(target_ids[:, 1:] == 3, 0)
""",
    "training.losses:label_smoothed_loss": """
plant_log_softmax_over_positions: the softmax is over the positions
- log_probabilities = torch.log_softmax(logits, dim=-1)
+ log_probabilities = torch.log_softmax(logits, dim=1)
""",
    "training.schedules:WarmupSchedule": """
plant_schedule_one_late: every rate comes one step late
- rate = warmup_rate(self.last_epoch + 1, self.d_model, self.warmup_steps)
+ rate = warmup_rate(max(self.last_epoch, 1), self.d_model, self.warmup_steps)
""",
    "training.optimizers:paper_optimizer": """
plant_optimizer_of_another_model: the optimizer has another model's parameters
- optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
+ import copy
+ other = copy.deepcopy(model)
+ optimizer = torch.optim.Adam(other.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
""",
    "encoder:Encoder": """
plant_layers_repeated: all layers are one object
- self.layers = nn.ModuleList(
-     EncoderLayer(d_model, n_heads, d_ff, dropout, norm_first) for _ in range(n_layers)
- )
+ self.layers = nn.ModuleList(
+     [EncoderLayer(d_model, n_heads, d_ff, dropout, norm_first)] * n_layers
+ )
""",
    "encoder:EncoderLayer": """
plant_attention_output_detached: the attention's output is detached
- x = self.attention_residual.leave(x, y)
+ x = self.attention_residual.leave(x, y.detach())

plant_mixed_across_the_batch: every sentence is compared with the others
- y, weights = self.attention(y, y, y, mask, need_weights)
+ y, weights = self.attention(y - y.mean(0), y, y, mask, need_weights)

plant_no_residual_around_the_network: the feed-forward network has no residual
- return self.feed_forward_residual.leave(x, y), weights
+ return self.feed_forward_residual.leave(0 * x, y), weights

plant_not_a_number: the first layer divides zero by zero
- return self.feed_forward_residual.leave(x, y), weights
+ return self.feed_forward_residual.leave(x, y) * (x.sum() * 0 / 0), weights

plant_layer_in_float16: the sums overflow in 16 bits
- return self.feed_forward_residual.leave(x, y), weights
+ return (self.feed_forward_residual.leave(x, y).detach().half().float()), weights
""",
    "classifier:EncoderClassifier": """
plant_softmax_in_the_output: the classifier gives probabilities
- return self.output(self.dropout(pooled)), weights
+ return self.output(self.dropout(pooled)).softmax(-1), weights

plant_encoder_frozen: the encoder gets no gradient
- pooled = masked_mean(x, mask) if self.pooling == "mean" else x[:, 0]
+ pooled = (masked_mean(x, mask) if self.pooling == "mean" else x[:, 0]).detach()

plant_output_at_zero: the output layer begins with zeros and nothing else learns
- self.output = nn.Linear(d_model, n_classes)
+ self.output = nn.Linear(d_model, n_classes)
+ nn.init.zeros_(self.output.weight)
""",
    "attention:attention": """
plant_attention_across_the_batch: the batch is taken for the sentence
- output = (weights if dropout is None else dropout(weights)) @ value
+ output = (weights if dropout is None else dropout(weights)) @ value.roll(1, 0)
""",
    "masks:causal_mask": """
plant_no_diagonal: a position does not see itself
- return torch.ones(1, 1, n, n, dtype=torch.bool, device=device).tril()
+ return torch.ones(1, 1, n, n, dtype=torch.bool, device=device).tril(-1)
""",
    "decoder:DecoderLayer": """
plant_no_residual_around_the_decoder_network: the feed-forward network has no residual
- return self.feed_forward_residual.leave(x, y), weights
+ return self.feed_forward_residual.leave(0 * x, y), weights

plant_decoder_not_a_number: a layer divides zero by zero
- return self.feed_forward_residual.leave(x, y), weights
+ return self.feed_forward_residual.leave(x, y) * (x.sum() * 0 / 0), weights
""",
    "decoder:Decoder": """
plant_decoder_layers_repeated: all layers are one object
- self.layers = nn.ModuleList(
-     DecoderLayer(d_model, n_heads, d_ff, dropout, norm_first) for _ in range(n_layers)
- )
+ self.layers = nn.ModuleList(
+     [DecoderLayer(d_model, n_heads, d_ff, dropout, norm_first)] * n_layers
+ )
""",
    "transformer:Transformer": """
plant_memory_detached: the encoder gets no gradient
- return self.encoder(self.embedding(source_ids), mask)[0], mask
+ return self.encoder(self.embedding(source_ids), mask)[0].detach(), mask

plant_output_matrix_detached: the output matrix gets no gradient
- return x @ self.embedding.tokens.weight.T
+ return x @ self.embedding.tokens.weight.detach().T

plant_log_softmax_in_the_output: the model gives log-probabilities
- return self.logits(x), weights
+ return self.logits(x).softmax(-1), weights
""",
}


def plants() -> list[mistakes.Bug]:
    """Every plant, as a named mistake."""
    found = []
    for place, text in PLANTS.items():
        for name, facts in mistake.read(text, f"course_lib.{place}", place).items():
            bug = mistakes.Bug.model_validate(facts)
            bug._name = name
            found.append(bug)
    return found
