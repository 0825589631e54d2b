/** A page of the documentation with parts made from the code's own tables. */
export interface Page {
  /** From the root of the project. */
  readonly file: string
  /** What stands between `<!-- begin NAME -->` and `<!-- end NAME -->`, by name. */
  readonly parts: Readonly<Record<string, () => string>>
}

/** The text of a page with its generated parts made anew. Throws where the page has no place for one of them. */
export function fillPage(text: string, parts: Page['parts']): string {
  return Object.entries(parts).reduce((page, [name, make]) => {
    const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`]
    const from = page.indexOf(begin)
    const to = page.indexOf(end)
    if (from < 0 || to < from) throw new Error(`the page has no place "${begin} … ${end}"`)
    return `${page.slice(0, from + begin.length)}\n\n${make().trim()}\n\n${page.slice(to)}`
  }, text)
}
