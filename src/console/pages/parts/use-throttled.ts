import { useEffect, useRef } from 'preact/hooks'

const pauseMs = 1000

/**
 * Reads again when `facts` change, at most once a second, and always after the last change. Undefined facts, and those of
 * the first rendering: the server has sent what is shown.
 */
export function useThrottled(readAgain: () => Promise<void>, facts: string | undefined): void {
  const state = useRef({ read: facts, isBusy: false, latest: facts, readAgain })
  Object.assign(state.current, { latest: facts, readAgain })
  useEffect(() => {
    const { current } = state
    const look = async (): Promise<void> => {
      if (current.isBusy || current.latest === undefined || current.latest === current.read) return
      current.isBusy = true
      current.read = current.latest
      await current.readAgain().catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      current.isBusy = false
      void look()
    }
    void look()
  }, [facts])
}
