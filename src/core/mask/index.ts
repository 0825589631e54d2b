export { mergeSpans } from './find-secrets.ts'
export { createMask, type Mask, type Masking, notShown, secretMark } from './mask.ts'
export type { Span } from './secret-index.ts'
export { inOneLine } from './secret-index.ts'
