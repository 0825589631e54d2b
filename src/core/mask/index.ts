export { mergeSpans } from './find-secrets.ts'
export type { Span } from './layer.ts'
export { createMask, hiddenMark, type Mask, type Masking, secretMark } from './mask.ts'
