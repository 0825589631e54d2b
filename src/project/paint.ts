/** Colours for one stream. Without colour every function gives its text back. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', Colour>>

type Colour = (text: string) => string

const plain: Colour = (text) => text

export const plainPaint: Paint = {
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  yellow: plain,
  cyan: plain,
}
