import { type Theme, useData } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { defineComponent, h, onMounted, ref, watch } from "vue";
// @ts-expect-error Vite reads it.
import "./style.css";

/** A diagram in the colours of the page. Its library is loaded only by a page that has one. */
const Mermaid = defineComponent({
  props: { code: { type: String, required: true } },
  setup({ code }) {
    const { isDark } = useData();
    const svg = ref("");
    const draw = async () => {
      // @ts-expect-error The built file has no types. Of the sources, Vite makes the same in a third more time.
      const { default: mermaid } = await import("mermaid/dist/mermaid.esm.min.mjs");
      mermaid.initialize({ startOnLoad: false, theme: isDark.value ? "dark" : "neutral" });
      svg.value = (await mermaid.render("diagram", decodeURIComponent(code))).svg;
    };
    onMounted(draw);
    watch(isDark, draw);
    return () => h("div", { class: "diagram", innerHTML: svg.value });
  },
});

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component("Mermaid", Mermaid),
} satisfies Theme;
