/** Colors of one theme: of the page, of boxes by their depth, of texts and of states. */
interface Theme {
  readonly page: string
  readonly even: string
  readonly odd: string
  readonly leaf: string
  readonly border: string
  readonly text: string
  readonly dim: string
  readonly arrow: string
  readonly reads: string
  readonly writes: string
  readonly creates: string
  readonly asks: string
  readonly local: string
  readonly good: string
  readonly bad: string
  readonly held: string
  readonly open: string
  readonly idle: string
  readonly mark: string
}

const light: Theme = {
  page: '#ffffff',
  even: '#f6f8fa',
  odd: '#eceff3',
  leaf: '#ffffff',
  border: '#c9d1d9',
  text: '#1f2328',
  dim: '#57606a',
  arrow: '#8c959f',
  reads: '#54aeff',
  writes: '#d4a72c',
  creates: '#e16f24',
  asks: '#8250df',
  local: '#afb8c1',
  good: '#1a7f37',
  bad: '#cf222e',
  held: '#9a6700',
  open: '#0969da',
  idle: '#6e7781',
  mark: '#ffffff',
}

const dark: Theme = {
  page: '#0d1117',
  even: '#161b22',
  odd: '#1f2630',
  leaf: '#0d1117',
  border: '#3d444d',
  text: '#e6edf3',
  dim: '#9198a1',
  arrow: '#6e7681',
  reads: '#388bfd',
  writes: '#bb8009',
  creates: '#db6d28',
  asks: '#a371f7',
  local: '#484f58',
  good: '#3fb950',
  bad: '#f85149',
  held: '#d29922',
  open: '#58a6ff',
  idle: '#848d97',
  mark: '#0d1117',
}

/** The root element has this class, so that the rules reach nothing else of a page around it. */
export const rootClass = 'opsbook-graph'

/**
 * The style of a drawing. Colors are written out instead of as variables, since some programs that show SVG know none.
 */
export function styleSheet(): string {
  return `<style>${fonts}${rules(light)}@media (prefers-color-scheme: dark){${rules(dark)}}</style>`
}

const sans = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif'
const mono = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace'

/** Sizes in pixels; `text-width.ts` measures with the same. */
export const fontSizes = { title: 17, label: 13, name: 12.5, code: 11, state: 11.5 } as const

export type Font = keyof typeof fontSizes

const fonts = [
  ['title', `font:600 ${fontSizes.title}px ${sans}`],
  ['label', `font:600 ${fontSizes.label}px ${sans}`],
  ['name', `font:${fontSizes.name}px ${sans}`],
  ['code', `font:${fontSizes.code}px ${mono}`],
  ['state', `font:600 ${fontSizes.state}px ${sans}`],
]
  .map(([name, style]) => `.${rootClass} .${name}{${style}}`)
  .join('')

function rules(theme: Theme): string {
  const filled = (['page', 'even', 'odd', 'leaf'] as const).map((name) => `.${name}{fill:${theme[name]}}`)
  const stripes = (['reads', 'writes', 'creates', 'asks', 'local'] as const).map(
    (name) => `.${name}{fill:${theme[name]}}`,
  )
  const states = (['good', 'bad', 'held', 'open', 'idle'] as const).flatMap((name) => [
    `.is-${name}{fill:${theme[name]}}`,
    `.on-${name}{stroke:${theme[name]}}`,
  ])
  return [
    ...filled,
    ...stripes,
    ...states,
    `.line{stroke:${theme.border}}`,
    `.title,.label,.name{fill:${theme.text}}`,
    `.code,.dim{fill:${theme.dim}}`,
    `.arrow{stroke:${theme.arrow}}`,
    `.head{fill:${theme.arrow}}`,
    `.mark{stroke:${theme.mark}}`,
  ]
    .map((rule) =>
      rule
        .split('{', 1)[0]
        ?.split(',')
        .map((selector) => `.${rootClass} ${selector}`)
        .join(',')
        .concat(rule.slice(rule.indexOf('{'))),
    )
    .join('')
}
