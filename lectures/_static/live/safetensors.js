// Reads a safetensors file: {name: {shape, data: Float32Array}}. Classic scripts, not modules, so
// that the page also works from a folder, where browsers refuse modules.
(function (live) {
  "use strict";

  function half(bits) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }

  const READERS = {
    F32: { size: 4, read: (view, at) => view.getFloat32(at, true) },
    F16: { size: 2, read: (view, at) => half(view.getUint16(at, true)) },
  };
  const LARGEST_HEADER = 1 << 20;

  // Throws Error with one sentence if the bytes are no such file.
  live.readTensors = function (buffer) {
    const view = new DataView(buffer);
    const length = buffer.byteLength < 8 ? -1 : Number(view.getBigUint64(0, true));
    if (length < 2 || length > LARGEST_HEADER || 8 + length > buffer.byteLength)
      throw new Error("This is no safetensors file: its first eight bytes give no header.");
    let header;
    try {
      header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
    } catch {
      throw new Error("This is no safetensors file: its header is not JSON.");
    }
    const tensors = {};
    for (const [name, about] of Object.entries(header)) {
      if (name === "__metadata__") continue;
      const reader = READERS[about.dtype];
      if (!reader) throw new Error(`${name} is stored as ${about.dtype}; the page reads F32 and F16.`);
      const [begin, end] = about.data_offsets;
      const count = about.shape.reduce((a, b) => a * b, 1);
      if (end - begin !== count * reader.size || 8 + length + end > buffer.byteLength)
        throw new Error(`${name} has ${end - begin} bytes, its shape ${about.shape} needs ${count * reader.size}.`);
      const data = new Float32Array(count);
      for (let i = 0; i < count; i++) data[i] = reader.read(view, 8 + length + begin + i * reader.size);
      tensors[name] = { shape: about.shape, data };
    }
    return tensors;
  };
})((globalThis.live = globalThis.live || {}));
