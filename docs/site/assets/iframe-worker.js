// Browsers refuse to start workers from file:// addresses, and the search runs in a worker. There, this class stands in
// for Worker: the script of the worker runs in a hidden frame of the page.
"use strict";

if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = this.onerror = this.onmessageerror = null;
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "worker";
      this.frame.srcdoc = "<!doctype html><title>worker</title>";
      this.frame.addEventListener(
        "load",
        () => {
          const inside = this.frame.contentWindow;
          const script = inside.document.createElement("script");
          inside.postMessage = (data) => this.tell("message", new MessageEvent("message", { data }));
          script.src = String(url);
          script.onerror = () => this.tell("error", new ErrorEvent("error", { message: `cannot load ${url}` }));
          script.onload = () => {
            this.waiting.splice(0).forEach((data) => this.send(data));
            this.waiting = null;
          };
          inside.document.head.append(script);
        },
        { once: true },
      );
      document.documentElement.append(this.frame);
    }

    // What the worker's script said reaches the page as an event.
    tell(kind, event) {
      if (this.frame === null) return;
      this.dispatchEvent(event);
      this[`on${kind}`]?.(event);
    }

    send(data) {
      const inside = this.frame?.contentWindow;
      const copy = structuredClone(data);
      if (inside) setTimeout(() => inside.dispatchEvent(new inside.MessageEvent("message", { data: copy })));
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.send(data);
    }

    terminate() {
      this.frame?.remove();
      this.frame = null;
    }
  };
}
