export { mergeSpans } from './find-secrets.ts'
export type { Span } from './layer.ts'
export { createMask, type Mask, type Masking, secretMark } from './mask.ts'
