import { useEffectEvent, useLayoutEffect, useRef, type ComponentPropsWithoutRef, type RefObject } from "react";

type Told<E> = (change: { readonly target: E }) => void;
type Native<K extends "input" | "select", E> = Omit<ComponentPropsWithoutRef<K>, "onChange"> & { readonly onChange: Told<E> };

/**
 * What a person set while the markup still waited for its script. React keeps showing such a value, and as it takes it for the one it
 * drew itself, tells nobody: a run would start with other settings than the page shows.
 */
function useEarlyChange<E extends HTMLInputElement | HTMLSelectElement>(isEarly: (element: E) => boolean, onChange: Told<E>): RefObject<E | null> {
  const ref = useRef<E>(null);
  const take = useEffectEvent(() => {
    const element = ref.current;
    if (element !== null && isEarly(element)) onChange({ target: element });
  });
  // Once, when the markup is taken over: after that React tells of every change.
  useLayoutEffect(() => take(), []);
  return ref;
}

/** An input that shows what is set (`value`, or `checked` for a switch or a radio button); for all that stand in the page's own markup. */
export function Input(props: Native<"input", HTMLInputElement>) {
  const ref = useEarlyChange<HTMLInputElement>((element) => {
    if (props.type === "radio") return element.checked && props.checked === false;
    return props.checked === undefined ? element.value !== String(props.value) : element.checked !== props.checked;
  }, props.onChange);
  return <input {...props} ref={ref} />;
}

/** A select that shows what is set; for all that stand in the page's own markup. */
export function Select(props: Native<"select", HTMLSelectElement>) {
  const ref = useEarlyChange<HTMLSelectElement>((element) => element.value !== String(props.value), props.onChange);
  return <select {...props} ref={ref} />;
}
