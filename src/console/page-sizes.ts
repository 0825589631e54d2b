import { usualItems } from '../view/run/index.ts'

/** How many entries the pages show: a page is rendered with as many as it reads again later. */
export const pageSizes: Readonly<
  Record<'inbox' | 'runs' | 'journal' | 'items' | 'attempts' | 'refused', number>
> = {
  inbox: 200,
  runs: 100,
  journal: 200,
  items: usualItems,
  attempts: 20,
  refused: 50,
}
